import { figure } from '#web/ui/index.ts'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'

export const aboutUsHead = siteHead({
  path: '/about-us',
  title: 'About us',
  name: 'About',
  description: `Who runs ${figure('brand')}, since when, what you can trade here, and how your money is kept apart from ours.`,
})

export function AboutUs() {
  return <ContentPage title="About us" name="About" />
}
