/** Registers traders through HTTP and returns an access token for each. */
export async function signUp(port: number, count: number): Promise<string[]> {
  const call = async (path: string, body: unknown) => {
    const response = await fetch(`http://127.0.0.1:${port}/api${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    return (await response.json()) as { tokens?: { access: { token: string } } }
  }
  const tokens: string[] = []
  for (let user = 0; user < count; user++) {
    const email = `bench${user}@example.com`
    await call('/auth/register', {
      firstname: 'Bench',
      lastname: 'User',
      email,
      phone: '1234567890',
      password: 'bench-password',
      confirmPassword: 'bench-password',
    })
    const { tokens: given } = await call('/auth/login', { email, password: 'bench-password' })
    if (!given) throw new Error('a bench user could not sign in')
    tokens.push(given.access.token)
  }
  return tokens
}
