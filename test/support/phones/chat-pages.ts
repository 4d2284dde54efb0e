import type { Browser, Locator, Page } from 'playwright-core';
import type { Website } from '../platform/browser.js';

/** The chat of the widget, as a visitor uses it in English. */
export class VisitorTab {
  private constructor(
    readonly page: Page,
    private readonly site: Website,
  ) {}

  /**
   * A new visitor on a page of the site with this widget.
   * @param prepare called before the page is opened
   */
  static async open(
    browser: Browser,
    site: Website,
    { url, key }: { readonly url: string; readonly key: string },
    prepare: (page: Page) => Promise<void> = () => Promise.resolve(),
  ): Promise<VisitorTab> {
    const page = await (await browser.newContext()).newPage();
    page.setDefaultTimeout(30_000);
    await prepare(page);
    site.show(`<main><h1>Shop</h1></main><script src="${url}/widget/v1.js" data-key="${key}" async></script>`);
    const tab = new VisitorTab(page, site);
    await page.goto(site.origin);
    return tab;
  }

  /** Opens the chat. */
  async chat(): Promise<void> {
    await this.page.getByRole('button', { name: /^Chat with us/ }).click();
  }

  async write(text: string): Promise<void> {
    await this.page.getByLabel('Your message').fill(text);
    await this.page.keyboard.press('Enter');
  }

  /** Resolves when the visitor sees this in the state of the chat. */
  async says(text: string | RegExp): Promise<void> {
    await this.page.getByRole('status').filter({ hasText: text }).first().waitFor();
  }

  async sees(text: string): Promise<void> {
    await this.page.getByRole('log').getByText(text, { exact: true }).waitFor();
  }

  /** The texts of the messages that the platform has, the oldest first. */
  texts(): Promise<string[]> {
    return this.page.locator('.chat .log .list li span[dir=auto]').allTextContents();
  }

  /** Turns to another tab, or back. */
  async look(isAway: boolean): Promise<void> {
    await this.page.evaluate(`
      Object.defineProperty(document, 'hidden', { value: ${isAway}, configurable: true });
      document.dispatchEvent(new Event('visibilitychange'));`);
  }

  /** Leaves the page for another one of the site, without a chat. */
  async leave(): Promise<void> {
    await this.page.goto('about:blank');
  }

  async comeBack(): Promise<void> {
    await this.page.goto(this.site.origin);
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }
}

/** The chats on the page of agents. */
export class AgentChats {
  /** @param title in the language of the page */
  constructor(
    readonly page: Page,
    private readonly title = 'Chats',
  ) {}

  get element(): Locator {
    return this.page.getByRole('region', { name: this.title });
  }

  button(name: string | RegExp): Locator {
    return this.element.getByRole('button', { name });
  }

  /** Takes the chat that is offered. */
  async accept(): Promise<void> {
    await this.button('Accept chat').click();
    await this.text.waitFor();
  }

  async write(text: string): Promise<void> {
    await this.text.fill(text);
    await this.page.keyboard.press('Enter');
  }

  async sees(text: string): Promise<void> {
    await this.element.getByRole('log').getByText(text, { exact: true }).waitFor();
  }

  /** Resolves when the state of the shown chat is this: where the visitor is, or that the visitor is typing. */
  async says(state: string): Promise<void> {
    await this.element.getByRole('status').filter({ hasText: state }).waitFor();
  }

  /** The texts of the shown conversation that the platform has, the oldest first. */
  texts(): Promise<string[]> {
    return this.page.locator('.chat:not([hidden]) .messages > ol:first-child li span[dir=auto]').allTextContents();
  }

  /** Resolves when a screen reader reads this aloud. */
  async announced(text: string | RegExp): Promise<void> {
    await this.element.locator('[aria-live=assertive]').filter({ hasText: text }).waitFor({ state: 'attached' });
  }

  /** The input of the shown conversation. */
  get text(): Locator {
    return this.element.locator('textarea:visible');
  }
}
