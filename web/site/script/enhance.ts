import { takeNotice } from '#web/api/index.ts'
import { write } from '../part.ts'
import { showToast } from '../toast.ts'
import { runWidgets } from '../widgets/run.ts'
import { watchChat } from './chat.ts'
import { watchDropdowns } from './dropdowns.ts'
import { watchHeader } from './header.ts'
import { type Islands, watchIslands } from './islands.ts'
import { watchPhoneMenu } from './phone-menu.ts'
import { watchPurchases } from './purchase.ts'
import { isSignedIn, showDashboard } from './session.ts'
import { runStrip } from './strip.ts'
import { whenSeen } from './when-seen.ts'

/**
 * The small script of static pages: the header's look and menus, the signed-in state, messages from a previous step,
 * and loading of the parts that React renders. A page is complete without it.
 */
export function enhance(islands: Islands): void {
  watchHeader()
  watchDropdowns()
  watchPhoneMenu()
  const signedIn = isSignedIn()
  if (signedIn) showDashboard()
  watchPurchases(signedIn)
  watchIslands(islands, signedIn)
  watchChat(islands.chat)
  runStrip()
  runWidgets(islands)
  sayNotice()
  whenSeen(document.querySelector('[data-figures]'), () => {
    // Without it the page still shows the claimed figures.
    import('./measured.ts').then(({ showMeasured }) => showMeasured()).catch(() => undefined)
  })
}

function sayNotice(): void {
  const notice = takeNotice()
  if (!notice) return
  if (notice.kind !== 'success') {
    showToast(notice.kind, notice.message)
    return
  }
  const dialog = document.querySelector<HTMLDialogElement>('[data-notice]')
  if (!dialog) return
  write(dialog, 'message', notice.message)
  dialog.addEventListener('click', (event) => event.target === dialog && dialog.close())
  dialog.showModal()
}
