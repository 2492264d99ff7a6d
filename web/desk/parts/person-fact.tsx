import { Link } from 'react-router'
import { Fact } from '#web/ui/index.ts'

/** The user, with a link to their page. */
export function PersonFact({ user_id, email }: { user_id: string | null; email: string }) {
  return <Fact name="User">{user_id ? <Link to={`/users/${user_id}`}>{email}</Link> : email}</Fact>
}
