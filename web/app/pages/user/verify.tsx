import { Page } from '#web/ui/index.ts'

export default function VerifyPage() {
  return <Page title="">{null}</Page>
}
