import { existsSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, join } from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];

/** The path of this machine's browser; null if there is none. */
export function browserProgram(): string | null {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  return found ?? null;
}

export function openBrowser(executablePath: string, args: readonly string[] = []): Promise<Browser> {
  // Chromium's sandbox is unavailable to root and in containers; all pages are the test's own.
  return chromium.launch({ executablePath, args: ['--no-sandbox', ...args] });
}

/** A customer's website, on its own origin. */
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

  /** Sets the site's page. @param policy its Content-Security-Policy; null for none */
  show(body: string, policy: string | null = null): void {
    this.#page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Shop</title></head><body>${body}</body></html>`;
    this.#policy = policy;
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((done) => this.server.close(done));
  }
}

/** Collects the origins of the page's requests and its errors. */
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
