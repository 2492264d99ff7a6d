export { ContactForm } from './contact/contact-form.tsx'
export { LoginDialog } from './login-dialog.tsx'
export { enhance } from './script/enhance.ts'
export { SiteFrame } from './site-frame.tsx'
