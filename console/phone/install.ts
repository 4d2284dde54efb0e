const WORKER = '/phone/worker.js';

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): string };
}

/** Registers the service worker, so that the page opens without a network. Browsers without one lose only that. */
export async function installWorker(): Promise<void> {
  // Not on pages without HTTPS.
  const container = (navigator as { serviceWorker?: ServiceWorkerContainer }).serviceWorker;
  if (!container) return;
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  const policy = trustedTypes?.createPolicy('hatif-phone', { createScriptURL: () => WORKER });
  await container.register(policy?.createScriptURL(WORKER) ?? WORKER, { scope: '/phone' }).catch(() => undefined);
}
