import { Complaints } from '#web/trader/complaints/index.ts'
import { Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Complaints') }]

export default function ComplaintsPage() {
  return (
    <Page
      title="Complaints"
      intro="Problems that you reported. Two operators decide about each, and what they rule is public without names."
    >
      <Complaints />
    </Page>
  )
}
