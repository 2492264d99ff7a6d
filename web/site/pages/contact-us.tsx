import { Clock3, Mail, MessageCircle, Phone } from 'lucide-react'
import { MAP } from '#contract/site.ts'
import { figure } from '#web/ui/index.ts'
import { ContactForm } from '../contact/contact-form.tsx'
import { ContentPage } from '../content-page.tsx'
import { siteHead } from '../head.ts'
import styles from './contact-us.module.css'

export const contactUsHead = siteHead({
  path: '/contact-us',
  title: 'Contact us',
  name: 'Contact',
  description:
    'Write to us, call us or chat with us. Phone, e-mail and a form that reaches the people at the desk directly.',
})

/** Contact details: phone, e-mail, chat, and the form. */
export function ContactUs() {
  return (
    <ContentPage
      title="Contact us"
      name="Contact"
      lead="A question about a trade, a deposit or your account? People read what you write here, and they can see the tape your trade was settled on."
    >
      <div className={styles.contact}>
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
                <p>The Live Chat button stands on every page. When nobody is at the desk, we answer by e-mail.</p>
              </div>
            </li>
            <li>
              <Clock3 aria-hidden />
              <div>
                <h3>About a trade</h3>
                <p>Give its trade ID: it stands in your trade history, and is enough for us to find it.</p>
              </div>
            </li>
          </ul>
        </section>
        <section className={styles.card} aria-labelledby="touch">
          <h2 className={styles.title} id="touch">
            Get in Touch
          </h2>
          <noscript>
            <p className={styles.note}>
              This form needs JavaScript. Without it, please write to{' '}
              <a href={`mailto:${figure('email')}`}>our e-mail</a>.
            </p>
          </noscript>
          <div>
            <ContactForm />
          </div>
          <p className={styles.note}>
            We use what you write only to answer you. See the <a href="/privacy">privacy policy</a>.
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
