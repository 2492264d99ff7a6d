import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import { CheckWidget } from '../widgets/check/check-widget.tsx'

const head = siteHead({
  path: '/verify',
  title: 'Check a receipt',
  description:
    'Check the receipt of a trade in your browser, step by step: the prices that decided it, the signed checkpoints, and the payout.',
})

export const handle = { still: true }
export const meta = () => head

/** Checks the receipt of a trade in the browser. */
export default function Verify() {
  return (
    <ContentPage
      title="Check a receipt"
      lead="Every settled trade has a receipt that anyone can check. The check runs in your browser, step by step, and sends nothing."
    >
      <CheckWidget />
    </ContentPage>
  )
}
