import { EmailAddress } from '#web/auth/index.ts'
import { AddressBook } from '#web/trader/address-book/index.ts'
import { Card, Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Account') }]

export default function AccountPage() {
  return (
    <Page title="Account" intro="Your e-mail address, and where you withdraw to." narrow>
      <Card title="E-mail address">
        <EmailAddress />
      </Card>
      <Card title="Address book">
        <AddressBook />
      </Card>
    </Page>
  )
}
