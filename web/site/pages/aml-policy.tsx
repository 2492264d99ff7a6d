import { siteHead } from '../head.ts'
import { AML_POLICY } from '../legal/aml-policy.tsx'
import { LegalPage } from '../legal-page.tsx'

export const amlPolicyHead = siteHead({
  path: '/aml-policy',
  title: 'AML and KYC policy',
  name: 'AML Policy',
  description: 'How we keep crime out: who has to identify himself, with which documents, and what we look at.',
})

export function AmlPolicy() {
  return (
    <LegalPage
      title="AML and KYC policy"
      name="AML Policy"
      lead="How we make sure who our clients are, and that no money is laundered here."
      changed="2026-11-21"
      sections={AML_POLICY}
    />
  )
}
