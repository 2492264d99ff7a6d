import { Link } from 'react-router'
import { EditProfile, TimeZone } from '#web/trader/profile/index.ts'
import { buttonClass, Card, Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Edit profile') }]

export default function EditProfilePage() {
  return (
    <Page
      title="Edit profile"
      intro="Enter your details exactly as they appear on your ID."
      narrow
      actions={
        <Link to="/user/change-password" className={buttonClass({ look: 'secondary' })}>
          Change password
        </Link>
      }
    >
      <Card>
        <EditProfile />
      </Card>
      <Card title="Your days">
        <TimeZone />
      </Card>
    </Page>
  )
}
