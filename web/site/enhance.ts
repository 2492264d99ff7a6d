import { takeNotice } from '#web/api/index.ts'
import { HEADER_OPAQUE_AT_PX, TOAST } from '#web/ui/index.ts'

/** The small script of still pages: the header's look, who is signed in, and what a step before wants said. */

const header = document.querySelector<HTMLElement>('[data-header]')
const onScroll = () => header?.toggleAttribute('data-opaque', window.scrollY >= HEADER_OPAQUE_AT_PX)
onScroll()
window.addEventListener('scroll', onScroll, { passive: true })

/** Signed in means that user data and tokens are both there (the store of web/api, under `root`). */
function isSignedIn(): boolean {
  try {
    const { auth } = JSON.parse(localStorage.getItem('root') ?? '{}').state
    return Boolean(auth.user_data && auth.tokens)
  } catch {
    return false
  }
}

if (isSignedIn()) {
  const login = document.querySelector<HTMLAnchorElement>('[data-login]')
  if (login) {
    login.textContent = 'Dashboard'
    login.href = '/user/home'
  }
  for (const link of document.querySelectorAll<HTMLElement>('[data-visitor]')) link.hidden = true
}

const notice = takeNotice()
const place = notice && document.querySelector<HTMLElement>(`[data-notice="${notice.kind}"]`)
if (notice && place) {
  place.querySelector('[data-message]')!.textContent = notice.message
  if (place instanceof HTMLDialogElement) {
    place.addEventListener('click', (event) => event.target === place && place.close())
    place.showModal()
  } else {
    place.hidden = false
    setTimeout(() => {
      place.hidden = true
    }, TOAST.autoCloseMs)
  }
}
