import { AddressVerification, Verification } from '#web/auth/index.ts'
import { Card, Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('KYC verification') }]

export default function VerifyPage() {
  return (
    <Page
      title="KYC verification"
      intro="Verify your identity to withdraw. Only our compliance team sees your documents."
      narrow
    >
      <Card>
        <Verification />
      </Card>
      <Card title="Proof of address">
        <AddressVerification />
      </Card>
    </Page>
  )
}
