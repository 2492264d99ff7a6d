/**
 * The service worker: shows push notifications, and an honest page when a screen is opened without a network. It keeps no
 * page, no code and no data of the product: a price can't be shown later as new, and a new build is never held back.
 */

/* What TypeScript's DOM types lack of a service worker's. */
interface Extendable extends Event {
  waitUntil(done: Promise<unknown>): void
}
interface Fetching extends Extendable {
  request: Request
  preloadResponse: Promise<Response | undefined>
  respondWith(response: Promise<Response>): void
}
interface Pushed extends Extendable {
  data: { json(): unknown } | null
}
interface Tapped extends Extendable {
  notification: Notification & { data: { navigate: string } }
}
interface Tab {
  url: string
  focus(): Promise<Tab>
  navigate(url: string): Promise<Tab | null>
}
interface Worker {
  location: Location
  registration: ServiceWorkerRegistration
  clients: {
    claim(): Promise<void>
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<Tab[]>
    openWindow(url: string): Promise<Tab | null>
  }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate', listener: (event: Extendable) => void): void
  addEventListener(type: 'fetch', listener: (event: Fetching) => void): void
  addEventListener(type: 'push', listener: (event: Pushed) => void): void
  addEventListener(type: 'notificationclick', listener: (event: Tapped) => void): void
}

const worker = self as unknown as Worker
/** Needs no other file. */
const OFFLINE = '/offline'
const CACHE = 'offline'

worker.addEventListener('install', (event) => {
  event.waitUntil(Promise.all([keepOfflinePage(), worker.skipWaiting()]))
})

worker.addEventListener('activate', (event) => {
  // The browser asks the network for the page while it starts this worker, so nobody waits for the worker.
  event.waitUntil(Promise.all([worker.registration.navigationPreload?.enable(), worker.clients.claim()]))
})

async function keepOfflinePage(): Promise<void> {
  const cache = await caches.open(CACHE)
  await cache.add(new Request(OFFLINE, { cache: 'reload' }))
}

worker.addEventListener('fetch', (event) => {
  if (event.request.mode !== 'navigate') return
  event.respondWith(openPage(event))
})

/** Returns the page from the network, or the one that says that there is none. */
async function openPage({ request, preloadResponse }: Fetching): Promise<Response> {
  try {
    // Without a network this fails at once. `navigator.onLine` may still be false just after it is back.
    return (await preloadResponse) ?? (await fetch(request))
  } catch {
    return (await caches.match(OFFLINE)) ?? Response.error()
  }
}

worker.addEventListener('push', (event) => {
  const message = event.data?.json() as { notification?: Shown } | undefined
  if (message?.notification) event.waitUntil(show(message.notification))
})

/** What the server sends: `notificationOf` in server/webpush/sender.ts. */
interface Shown {
  title: string
  body: string
  navigate: string
  tag: string
  lang: string
}

const show = ({ title, body, navigate, tag, lang }: Shown) =>
  worker.registration.showNotification(title, {
    ...{ body, tag, lang, data: { navigate } },
    icon: '/icon-192.png',
    badge: '/badge-96.png',
  })

worker.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(openScreen(event.notification.data.navigate))
})

/** Shows a screen in the tab that has the app, or in a new one. Other sites' addresses are never opened. */
async function openScreen(address: string): Promise<void> {
  const url = new URL(address, worker.location.origin)
  if (url.origin !== worker.location.origin) return
  const tabs = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const tab = tabs.find((one) => new URL(one.url).pathname.startsWith('/user'))
  if (!tab) return void (await worker.clients.openWindow(url.href))
  const shown = tab.url === url.href ? tab : await tab.navigate(url.href)
  await (shown ?? tab).focus()
}
