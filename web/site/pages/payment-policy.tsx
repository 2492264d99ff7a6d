import { siteHead } from '../head.ts'
import { PAYMENT_POLICY } from '../legal/payment-policy.tsx'
import { LegalPage } from '../legal-page.tsx'

const head = siteHead({
  path: '/payment-policy',
  title: 'Payment policy',
  name: 'Payment Policy',
  description: 'Deposits and withdrawals: currency, methods, identification and how long each one takes.',
})

export const handle = { still: true }
export const meta = () => head

export default function PaymentPolicy() {
  return (
    <LegalPage
      title="Payment policy"
      name="Payment Policy"
      lead="How to deposit and withdraw, how long it takes, and which documents you need."
      changed="2026-11-22"
      sections={PAYMENT_POLICY}
    />
  )
}
