import type { Locator, Page } from 'playwright-core';

/** The queues on the page of agents. */
export class QueueSection {
  readonly element: Locator;

  /** @param title in the language of the page */
  constructor(page: Page, title = 'Queues') {
    this.element = page.getByRole('region', { name: title, exact: true });
  }

  button(name: string): Locator {
    return this.element.getByRole('button', { name, exact: true });
  }

  /** Resolves when this text is on the screen. */
  async shows(text: string | RegExp): Promise<void> {
    await this.element.getByText(text).first().waitFor();
  }

  /** Resolves when the queue is in the agent's list with this state. */
  async lists(queue: string, state: string): Promise<void> {
    const entries = this.element.getByRole('listitem').filter({ hasText: queue });
    await entries.filter({ hasText: state }).waitFor();
  }

  /** Resolves when a screen reader reads this aloud. */
  async announced(text: string): Promise<void> {
    await this.element.locator('[aria-live=polite]').filter({ hasText: text }).waitFor({ state: 'attached' });
  }

  /** Resolves when the section shows why a request was refused. */
  async refused(text: string): Promise<void> {
    await this.element.getByRole('alert').filter({ hasText: text }).waitFor();
  }
}
