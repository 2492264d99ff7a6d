import { Clock3, Mail, MessageCircle, Phone } from 'lucide-react'
import { MAP } from '#contract/site.ts'
import { figure } from '#web/ui/index.ts'
import { ContactForm } from '../contact/contact-form.tsx'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import styles from './contact-us.module.css'

const head = siteHead({
  path: '/contact-us',
  title: 'Contact us',
  name: 'Contact',
  description:
    'Write, call or chat with us: phone, e-mail, live chat and a contact form that goes straight to our support team.',
})

export const handle = { still: true }
export const meta = () => head

/** Contact details: phone, e-mail, chat, and the form. */
export default function ContactUs() {
  return (
    <ContentPage
      title="Contact us"
      name="Contact"
      lead="A question about a trade, a deposit or your account? People read what you write here, and can see the tape that settled your trade."
    >
      <div className={styles.contact}>
        <ReachUs />
        <section className={styles.card} aria-labelledby="touch">
          <h2 className={styles.title} id="touch">
            Get in Touch
          </h2>
          <noscript>
            <p className={styles.note}>
              This form needs JavaScript. Without it, write to <a href={`mailto:${figure('email')}`}>our e-mail</a>.
            </p>
          </noscript>
          <div>
            <ContactForm />
          </div>
          <p className={styles.note}>
            We use your message only to reply to you. See the <a href="/privacy">privacy policy</a>.
          </p>
        </section>
      </div>
      {/* Empty by default; the server fills in the operator's picture and address (`SITE_FILE`). */}
      <div className={styles.map} data-map>
        {MAP}
      </div>
    </ContentPage>
  )
}

function ReachUs() {
  return (
    <section aria-labelledby="reach">
      <h2 className={styles.title} id="reach">
        Reach us
      </h2>
      <ul className={styles.ways}>
        <li>
          <Phone aria-hidden />
          <div>
            <h3>Phone</h3>
            <a href={`tel:${figure('phone')}`}>{figure('phone')}</a>
          </div>
        </li>
        <li>
          <Mail aria-hidden />
          <div>
            <h3>E-mail</h3>
            <a href={`mailto:${figure('email')}`}>{figure('email')}</a>
          </div>
        </li>
        <li>
          <MessageCircle aria-hidden />
          <div>
            <h3>Live chat</h3>
            <p>The Live Chat button is on every page. When we're away, we reply by e-mail.</p>
          </div>
        </li>
        <li>
          <Clock3 aria-hidden />
          <div>
            <h3>About a trade</h3>
            <p>Include the trade ID from your trade history. It's all we need to find the trade.</p>
          </div>
        </li>
      </ul>
    </section>
  )
}
