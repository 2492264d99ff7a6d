import { Device, NoticePreferences } from '#web/trader/notices/index.ts'
import { Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Notifications') }]

export default function NotificationsPage() {
  return (
    <Page title="Notifications" intro="Choose what we notify you of, and where.">
      <Device />
      <NoticePreferences />
    </Page>
  )
}
