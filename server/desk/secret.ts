/** What an authenticator's secret is sealed under: the person, who keeps his address for good. */
export const secretOf = (email: string): string => `operator ${email.toLowerCase()}`
