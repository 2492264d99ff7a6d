import { siteHead } from '../head.ts'
import { TERMS } from '../legal/terms.tsx'
import { LegalPage } from '../legal-page.tsx'

const head = siteHead({
  path: '/legal',
  title: 'Terms and conditions',
  name: 'Terms of Use',
  description: 'The terms for using this platform: accounts, credits, trades, liability and how the terms change.',
})

export const handle = { still: true }
export const meta = () => head

export default function Legal() {
  return (
    <LegalPage
      title="Terms and conditions"
      name="Terms of Use"
      lead="The agreement between you and us: accounts, credits, trades, and what happens when something goes wrong. Written to be read."
      changed="2026-11-27"
      sections={TERMS}
    />
  )
}
