/** A decorative Ethereum icon; the icon set has none. */
export function EtherSign() {
  return (
    <svg viewBox="0 0 24 24" fill="currentColor" aria-hidden>
      <path d="M12 1.5 5.2 12.3 12 16.2l6.8-3.9z" />
      <path d="M12 17.8 5.2 13.9 12 22.5l6.8-8.6z" opacity="0.65" />
    </svg>
  )
}
