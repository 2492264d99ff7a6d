import { useQueryClient } from '@tanstack/react-query'
import { ChangePassword, SecondFactor, Sessions } from '#web/auth/index.ts'
import { Card, Page, titled } from '#web/ui/index.ts'

export const meta = () => [{ title: titled('Change password') }]

export default function ChangePasswordPage() {
  const client = useQueryClient()
  return (
    <Page title="Change password" intro="Changing your password signs out your other devices." narrow>
      <Card>
        <ChangePassword onChanged={() => void client.invalidateQueries({ queryKey: ['GET /auth/sessions'] })} />
      </Card>
      <Card title="Second factor">
        <SecondFactor />
      </Card>
      <Card title="Where you are signed in">
        <Sessions />
      </Card>
    </Page>
  )
}
