import { flushSync } from 'react-dom'
import { createRoot, type Root } from 'react-dom/client'
import { authRedirect } from '#web/api/index.ts'
import { SignInForm } from '#web/auth/index.ts'
import { LoginDialog } from '#web/site/index.ts'
import { HOME } from '../layouts/menus/places.ts'

let root: Root | undefined

/** Opens the login dialog over a static page. */
export function openLogin(): void {
  root ??= createRoot(document.body.appendChild(document.createElement('div')))
  draw(root, true)
  // On a phone, the keyboard would open immediately and cover half of it.
  if (matchMedia('(pointer: fine)').matches) document.querySelector<HTMLInputElement>('dialog[open] input')?.focus()
}

function draw(root: Root, open: boolean): void {
  flushSync(() =>
    root.render(
      <LoginDialog open={open} onClose={() => draw(root, false)}>
        <SignInForm
          onSignedIn={() => location.assign(authRedirect() ?? HOME)}
          forgot={<a href="/auth/forgot-password">Forgot Password?</a>}
        />
      </LoginDialog>,
    ),
  )
}
