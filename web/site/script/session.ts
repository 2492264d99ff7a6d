interface Root {
  mode?: string
  auth?: { user_data?: unknown; tokens?: unknown }
}

/** Reads what the app stores in the browser (the store of web/api, under `root`), without loading the app's store. */
function root(): Root {
  try {
    return (JSON.parse(localStorage.getItem('root') ?? '{}').state ?? {}) as Root
  } catch {
    return {}
  }
}

/** Whether both user data and tokens are present. */
export function isSignedIn(): boolean {
  const { auth } = root()
  return Boolean(auth?.user_data && auth.tokens)
}

export const isDemo = (): boolean => root().mode === 'demo'

/** Turns Login into Dashboard for signed-in users and hides what only visitors need. */
export function showDashboard(): void {
  for (const login of document.querySelectorAll<HTMLAnchorElement>('[data-login]')) {
    login.textContent = 'Dashboard'
    login.href = '/user/home'
  }
  for (const link of document.querySelectorAll<HTMLElement>('[data-visitor]')) link.hidden = true
}
