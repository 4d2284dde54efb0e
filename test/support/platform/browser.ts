import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The browser of this machine; null where there is none. */
export function browserProgram(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  return found ?? null;
}

export function openBrowser(executablePath: string): Promise<Browser> {
  // Chromium's own sandbox is not there for root and in containers; the pages are the test's own.
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

/** Web pages of somebody else, on an origin of their own. */
export class Website {
  #page = '';
  #policy: string | null = null;

  private constructor(private readonly server: Server) {}

  static async start(): Promise<Website> {
    const server = createServer((request, response) => {
      if (request.url !== '/') {
        response.writeHead(404).end();
        return;
      }
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      if (site.#policy !== null) response.setHeader('Content-Security-Policy', site.#policy);
      response.end(site.#page);
    });
    const site: Website = new Website(server);
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
    return site;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** What the site's page is from now on. @param policy of its content; null for none */
  show(body: string, policy: string | null = null): void {
    this.#page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body>${body}</body></html>`;
    this.#policy = policy;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

/** The hosts that the page asked something of, and what it complained of. */
export function watched(page: Page): { readonly hosts: Set<string>; readonly complaints: string[] } {
  const hosts = new Set<string>();
  const complaints: string[] = [];
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (protocol.startsWith('http')) hosts.add(origin);
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  return { hosts, complaints };
}
