import { FLAG_DEFAULTS, NEW_ORGANIZATION_FLAGS } from '../../core/model/flags.js';
import type { Settings } from '../../config/settings.js';
import { settingProblem, SettingsError } from '../../config/settings-error.js';

/**
 * Feature flags of this environment: the defaults with the changes of the settings.
 * @throws SettingsError for an unknown name
 */
export function environmentFlags(settings: Settings): Readonly<Record<string, boolean>> {
  const flags: Record<string, boolean> = { ...FLAG_DEFAULTS };
  for (const [setting, names, on] of [
    ['HATIF_FLAGS_OFF', settings.HATIF_FLAGS_OFF, false],
    ['HATIF_FLAGS_ON', settings.HATIF_FLAGS_ON, true],
  ] as const) {
    for (const name of names) {
      if (!Object.hasOwn(FLAG_DEFAULTS, name)) {
        const allowed = `must name features out of ${Object.keys(FLAG_DEFAULTS).join(', ')}`;
        throw new SettingsError([settingProblem(setting, allowed, name)]);
      }
      flags[name] = on;
    }
  }
  return flags;
}

/** What a new organization gets of its own, except for features that the settings name: those apply to it, too. */
export function newOrganizationFlags(settings: Settings): Readonly<Record<string, boolean>> {
  const named = new Set([...settings.HATIF_FLAGS_OFF, ...settings.HATIF_FLAGS_ON]);
  return Object.fromEntries(Object.entries(NEW_ORGANIZATION_FLAGS).filter(([name]) => !named.has(name)));
}
