import { Automatic } from '#web/trader/automatic/index.ts'
import { Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Automatic trades') }]

export default function AutomaticPage() {
  return (
    <Page
      title="Automatic trades"
      intro="Follow published strategies within your own limits. It's off until you start it, and you can stop it at any time."
    >
      <Automatic />
    </Page>
  )
}
