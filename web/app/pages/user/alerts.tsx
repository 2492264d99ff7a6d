import { Alerts } from '#web/trader/alerts/index.ts'
import { titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Alerts') }]

export default function AlertsPage() {
  return <Alerts />
}
