interface Root {
  mode?: string
  auth?: { user_data?: unknown; tokens?: unknown }
}

/** What the app keeps in the browser (the store of web/api, under `root`), without loading the app's store. */
function root(): Root {
  try {
    return (JSON.parse(localStorage.getItem('root') ?? '{}').state ?? {}) as Root
  } catch {
    return {}
  }
}

/** Signed in means that user data and tokens are both there. */
export function isSignedIn(): boolean {
  const { auth } = root()
  return Boolean(auth?.user_data && auth.tokens)
}

export const isDemo = (): boolean => root().mode === 'demo'

/** For the signed-in Login is Dashboard, and what only a visitor needs goes. */
export function showDashboard(): void {
  for (const login of document.querySelectorAll<HTMLAnchorElement>('[data-login]')) {
    login.textContent = 'Dashboard'
    login.href = '/user/home'
  }
  for (const link of document.querySelectorAll<HTMLElement>('[data-visitor]')) link.hidden = true
}
