import { MessageCircle } from 'lucide-react'
import styles from './chat-button.module.css'

/** Live Chat, on every page. Without the script it leads to the contact page. */
export function ChatButton() {
  return (
    <a className={styles.chat} href="/contact-us" data-chat>
      <MessageCircle aria-hidden />
      Live Chat
    </a>
  )
}
