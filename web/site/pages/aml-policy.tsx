import { siteHead } from '../head.ts'
import { AML_POLICY } from '../legal/aml-policy.tsx'
import { LegalPage } from '../legal-page.tsx'

const head = siteHead({
  path: '/aml-policy',
  title: 'AML and KYC policy',
  name: 'AML Policy',
  description:
    'How we prevent financial crime: who must verify their identity, with which documents, and what we check.',
})

export const handle = { still: true }
export const meta = () => head

export default function AmlPolicy() {
  return (
    <LegalPage
      title="AML and KYC policy"
      name="AML Policy"
      lead="How we verify who our clients are and prevent money laundering."
      changed="2026-11-22"
      sections={AML_POLICY}
    />
  )
}
