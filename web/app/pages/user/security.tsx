import { Link } from 'react-router'
import { SecondFactor, Sessions } from '#web/auth/index.ts'
import { buttonClass, Card, Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Security') }]

export default function SecurityPage() {
  return (
    <Page
      title="Security"
      intro="Your second factor, passkeys and devices."
      narrow
      actions={
        <Link to="/user/change-password" className={buttonClass({ look: 'secondary' })}>
          Change password
        </Link>
      }
    >
      <Card title="Second factor">
        <SecondFactor />
      </Card>
      <Card title="Where you are signed in">
        <Sessions />
      </Card>
    </Page>
  )
}
