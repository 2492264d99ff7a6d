import { Complaints } from '#web/trader/complaints/index.ts'
import { Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Complaints') }]

export default function ComplaintsPage() {
  return (
    <Page
      title="Complaints"
      intro="Problems you reported. Two operators decide each one, and the ruling is published without names."
    >
      <Complaints />
    </Page>
  )
}
