import { Page } from '#web/ui/index.ts'
import { DeskTitle } from '../parts/desk-title.tsx'
import { Inbox } from './inbox.tsx'
import styles from './start.module.css'

/** Items that need a second person, and the queues of proposals. */
export default function Proposals() {
  return (
    <div className={styles.page}>
      <Page title="Proposals" intro="One operator proposes or approves first, and another decides.">
        <DeskTitle>Proposals</DeskTitle>
        <Inbox only="second" />
      </Page>
    </div>
  )
}
