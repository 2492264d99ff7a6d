import { EmailAddress } from '#web/auth/index.ts'
import { Card, Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Account') }]

export default function AccountPage() {
  return (
    <Page title="Account" intro="Your e-mail address." narrow>
      <Card title="E-mail address">
        <EmailAddress />
      </Card>
    </Page>
  )
}
