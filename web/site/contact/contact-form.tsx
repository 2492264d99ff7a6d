import { ContactBody } from '#contract/messages/support.ts'
import { call, useRequest } from '#web/api/index.ts'
import { Button, CONTACT_RESET_MS, Field, Textarea, useRules } from '#web/ui/index.ts'
import { showToast } from '../toast.ts'
import styles from './contact-form.module.css'

const EMPTY = { name: '', email: '', message: '', website: '' }

/**
 * 'Get in Touch'. Rendered at build time and taken over by React on first interaction, with what was `typed` by then.
 * The server's message is shown as a toast; the form is cleared after a success and kept after an error.
 */
export function ContactForm({ typed }: { typed?: Partial<typeof EMPTY> }) {
  const { field, register, submit, reset, refuse } = useRules(ContactBody, { ...EMPTY, ...typed })
  const { loading, run } = useRequest((message, error) => {
    showToast('error', message, CONTACT_RESET_MS)
    refuse(message, error)
  })

  const send = submit((body) =>
    run(async () => {
      const { status, message } = await call('POST /public/contact', { body })
      if (!status) return
      showToast('success', message)
      reset(EMPTY)
    }),
  )

  return (
    <form className={styles.form} noValidate onSubmit={send} data-contact-form>
      <Field label="Name" autoComplete="name" {...field('name')} />
      <Field label="Email" type="email" autoComplete="email" inputMode="email" {...field('email')} />
      <Textarea label="Message" rows={6} {...field('message')} />
      <div className={styles.trap} aria-hidden="true">
        <label>
          Website
          <input type="text" tabIndex={-1} autoComplete="off" {...register('website')} />
        </label>
      </div>
      <Button type="submit" size="large" loading={loading}>
        Send
      </Button>
    </form>
  )
}
