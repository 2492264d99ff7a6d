import { AddressVerification, Verification } from '#web/auth/index.ts'
import { Card, Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('KYC verification') }]

export default function VerifyPage() {
  return (
    <Page
      title="KYC verification"
      intro="Withdrawals need a confirmed identity. Only our compliance team sees the pictures."
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
