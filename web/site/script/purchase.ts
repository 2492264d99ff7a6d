import { leaveNotice, setAuthRedirect } from '#web/api/index.ts'
import { isDemo } from './session.ts'

/** Purchase leads to the plans. Visitors sign in first; in demo mode there are no plans to buy. */
export function watchPurchases(signedIn: boolean): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>('[data-purchase]')) {
    if (signedIn) link.href = isDemo() ? '/user/home' : '/user/plan'
    link.addEventListener('click', () => {
      if (!signedIn) setAuthRedirect('/user/plan')
      else if (isDemo()) {
        leaveNotice({
          kind: 'info',
          message: 'You can buy a plan in live mode only. Choose Trade Live, then Plans.',
        })
      }
    })
  }
}
