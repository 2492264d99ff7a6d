import { CloseAccount, EmailAddress, ExportData } from '#web/auth/index.ts'
import { AddressBook } from '#web/trader/address-book/index.ts'
import { Card, Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Account') }]

export default function AccountPage() {
  return (
    <Page title="Account" intro="Your e-mail address, where you withdraw to, your data, and how to leave." narrow>
      <Card title="E-mail address">
        <EmailAddress />
      </Card>
      <Card title="Address book">
        <AddressBook />
      </Card>
      <Card title="Your data">
        <ExportData />
      </Card>
      <Card title="Close my account">
        <CloseAccount />
      </Card>
    </Page>
  )
}
