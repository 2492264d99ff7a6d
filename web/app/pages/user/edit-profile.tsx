import { CircleUser } from 'lucide-react'
import { Link } from 'react-router'
import { buttonClass, Card, EmptyState, Page } from '#web/ui/index.ts'

export const meta = () => [{ title: 'Edit profile – Cleartick' }]

export default function EditProfilePage() {
  return (
    <Page title="Edit profile">
      <Card>
        <EmptyState
          icon={<CircleUser />}
          title="Your details are safe with us"
          actions={
            <Link to="/user/change-password" className={buttonClass()}>
              Change password
            </Link>
          }
        >
          Your name, address and picture will be changed here. What you can change today is your password.
        </EmptyState>
      </Card>
    </Page>
  )
}
