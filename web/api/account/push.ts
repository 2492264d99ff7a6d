import { useEffect } from 'react'
import { create } from 'zustand'
import { call } from '../browser.ts'
import { useStore } from '../store.ts'

/**
 * Push notifications of this browser. `unknown` until it has been asked; `unsupported`: it has none; `blocked`: the trader
 * has forbidden them in its settings.
 */
type PushState = 'unknown' | 'unsupported' | 'blocked' | 'off' | 'on'

const usePushState = create<{ state: PushState }>(() => ({ state: 'unknown' }))

/** In the browser's storage: the account that turned push notifications on here. Another that signs in isn't subscribed. */
const OWNER = 'push'

const ownId = () => useStore.getState().auth.user_data?.id
const isSupported = () => 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window

/** Registers the service worker, and subscribes again if this account has push notifications on in this browser. */
export async function startPush(serviceWorker: string): Promise<void> {
  if (!('serviceWorker' in navigator)) return
  try {
    await navigator.serviceWorker.register(serviceWorker, { scope: '/', updateViaCache: 'none' })
    // The last session's subscription ended with it.
    if (isOnHere()) await subscribe()
  } catch {
    // A browser that is set to keep nothing refuses; the app works without.
  }
}

const isOnHere = (): boolean =>
  isSupported() &&
  Notification.permission === 'granted' &&
  ownId() !== undefined &&
  localStorage.getItem(OWNER) === ownId()

/** Returns whether this browser shows push notifications of this account. */
export function usePush(): PushState {
  useEffect(() => {
    if (!isSupported()) usePushState.setState({ state: 'unsupported' })
    else if (Notification.permission === 'denied') usePushState.setState({ state: 'blocked' })
    else usePushState.setState({ state: isOnHere() ? 'on' : 'off' })
  }, [])
  return usePushState(({ state }) => state)
}

/** Asks for the permission, which browsers allow only after a press, and subscribes. */
export async function turnPushOn(): Promise<void> {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') {
    usePushState.setState({ state: permission === 'denied' ? 'blocked' : 'off' })
    return
  }
  await subscribe()
  localStorage.setItem(OWNER, ownId() ?? '')
  usePushState.setState({ state: 'on' })
}

export async function turnPushOff(): Promise<void> {
  const registration = await navigator.serviceWorker.getRegistration()
  const subscription = await registration?.pushManager.getSubscription()
  if (subscription) {
    await call('POST /notices/push/end', { body: { endpoint: subscription.endpoint } })
    await subscription.unsubscribe()
  }
  localStorage.removeItem(OWNER)
  usePushState.setState({ state: 'off' })
}

async function subscribe(): Promise<void> {
  const { data } = await call('GET /notices/push')
  const { pushManager } = await navigator.serviceWorker.ready
  const known = await pushManager.getSubscription()
  // The installation has another key since: what it sends wouldn't arrive.
  if (known && textOf(known.options.applicationServerKey) !== data.key) await known.unsubscribe()
  const subscription = await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: data.key })
  const { endpoint, keys } = subscription.toJSON()
  await call('POST /notices/push', { body: { endpoint, keys } as never })
}

/** As base64url, without padding. */
const textOf = (key: ArrayBuffer | null): string =>
  btoa(String.fromCharCode(...new Uint8Array(key ?? [])))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
