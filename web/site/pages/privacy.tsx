import { siteHead } from '../head.ts'
import { PRIVACY } from '../legal/privacy.tsx'
import { LegalPage } from '../legal-page.tsx'

export const privacyHead = siteHead({
  path: '/privacy',
  title: 'Privacy policy',
  name: 'Privacy Policy',
  description: 'What we know about you, why, who else sees it, how long it is kept, and what you can ask of us.',
})

export function Privacy() {
  return (
    <LegalPage
      title="Privacy policy"
      name="Privacy Policy"
      lead="What we keep about you, why, for how long, and what you can do about it."
      changed="2026-11-21"
      sections={PRIVACY}
    />
  )
}
