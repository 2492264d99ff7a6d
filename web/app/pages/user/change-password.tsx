import { Link } from 'react-router'
import { ChangePassword } from '#web/auth/index.ts'
import { buttonClass, Card, Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Change password') }]

export default function ChangePasswordPage() {
  return (
    <Page
      title="Change password"
      intro="Changing your password signs out your other devices."
      narrow
      actions={
        <Link to="/user/security" className={buttonClass({ look: 'secondary' })}>
          Security
        </Link>
      }
    >
      <Card>
        <ChangePassword />
      </Card>
    </Page>
  )
}
