import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'

export const contactUsHead = siteHead({
  path: '/contact-us',
  title: 'Contact us',
  name: 'Contact',
  description: 'Write to us, call us or chat with us. Phone, e-mail and a form that reaches the people at the desk.',
})

export function ContactUs() {
  return <ContentPage title="Contact us" name="Contact" />
}
