import { siteHead } from '../head.ts'
import { PRIVACY } from '../legal/privacy.tsx'
import { LegalPage } from '../legal-page.tsx'

const head = siteHead({
  path: '/privacy',
  title: 'Privacy policy',
  name: 'Privacy Policy',
  description: 'What data we hold about you, why, who else sees it, how long we keep it, and your rights.',
})

export const handle = { still: true }
export const meta = () => head

export default function Privacy() {
  return (
    <LegalPage
      title="Privacy policy"
      name="Privacy Policy"
      lead="What data we keep about you, why, for how long, and what you can do about it."
      changed="2026-11-22"
      sections={PRIVACY}
    />
  )
}
