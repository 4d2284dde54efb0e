/** How the provider's own cookies travel: a browser that follows links, and stops at the first address elsewhere. */
export class Browser {
  readonly #cookies = new Map<string, string>();

  /**
   * Opens an address and follows redirects within its origin.
   * @returns the first address that it is sent to elsewhere @throws Error if there is none
   */
  async follow(address: string): Promise<URL> {
    const { origin } = new URL(address);
    let next = new URL(address);
    for (let hops = 0; hops < 10; hops += 1) {
      const response = await fetch(next, {
        redirect: 'manual',
        headers: { Cookie: this.#header(), Connection: 'close' },
      });
      this.#keep(response.headers.getSetCookie());
      const location = response.headers.get('location');
      const text = await response.text();
      if (location === null) throw new Error(`${next.href} leads nowhere: ${response.status} ${text.slice(0, 500)}`);
      next = new URL(location, next);
      if (next.origin !== origin) return next;
    }
    throw new Error(`${address} leads round in circles`);
  }

  #header(): string {
    return Array.from(this.#cookies, ([name, value]) => `${name}=${value}`).join('; ');
  }

  #keep(cookies: readonly string[]): void {
    for (const cookie of cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(cookie) ?? [];
      this.#cookies.set(name, value);
    }
  }
}
