import { Mail, Phone } from 'lucide-react'
import { Brand, figure } from '#web/ui/index.ts'
import { FOOTER } from './menu.ts'
import styles from './site-footer.module.css'

/** The risk warning, the link lists, and the contact details. */
export function SiteFooter() {
  return (
    <footer className={styles.footer}>
      <p className={styles.risk}>
        <strong>Risk warning.</strong> You can lose your whole stake on a timed trade, and most of the time a price is
        as likely to go one way as the other. Trade only with money you can afford to lose, and try the demo account
        first. <a href="/risk-disclosure">Read the risk disclosure</a>
      </p>
      <div className={styles.lists}>
        <div className={styles.contact}>
          <Brand />
          <a className={styles.link} href={`tel:${figure('phone')}`}>
            <Phone aria-hidden />
            {figure('phone')}
          </a>
          <a className={styles.link} href={`mailto:${figure('email')}`}>
            <Mail aria-hidden />
            {figure('email')}
          </a>
        </div>
        {FOOTER.map((group) => (
          <nav key={group.name} aria-labelledby={`footer-${group.name.toLowerCase().replace(' ', '-')}`}>
            <h2 className={styles.name} id={`footer-${group.name.toLowerCase().replace(' ', '-')}`}>
              {group.name}
            </h2>
            <ul className={styles.places}>
              {group.places.map((place) => (
                <li key={place.href}>
                  <a className={styles.link} href={place.href}>
                    {place.name}
                  </a>
                </li>
              ))}
            </ul>
          </nav>
        ))}
      </div>
      <p className={styles.end}>
        © {figure('copyrightYear')} {figure('brand')}
      </p>
    </footer>
  )
}
