import { Link } from 'react-router'
import { useUser } from '#web/api/index.ts'
import { buttonClass, Card, Page } from '#web/ui/index.ts'
import styles from './edit-profile.module.css'

export const meta = () => [{ title: 'Edit profile – Cleartick' }]

/** What is known of the trader, to be read; the form that changes it takes this place. */
export default function EditProfilePage() {
  const user = useUser()
  const facts = [
    ['First name', user.firstname],
    ['Last name', user.lastname],
    ['Email', user.email],
    ['Phone', user.phone],
    ['Gender', user.gender],
    ['Country', user.country],
    ['State', user.state],
    ['City', user.city],
    ['Address', user.address],
  ] as const
  return (
    <Page
      title="Edit profile"
      intro="Your details as we have them. Editing them opens here; what you can change today is your password."
      narrow
      actions={
        <Link to="/user/change-password" className={buttonClass({ look: 'secondary' })}>
          Change password
        </Link>
      }
    >
      <Card>
        <dl className={styles.facts}>
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value || 'Not given'}</dd>
            </div>
          ))}
        </dl>
      </Card>
    </Page>
  )
}
