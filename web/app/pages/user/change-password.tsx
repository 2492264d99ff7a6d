import { Page } from '#web/ui/index.ts'

export default function ChangePasswordPage() {
  return <Page title="">{null}</Page>
}
