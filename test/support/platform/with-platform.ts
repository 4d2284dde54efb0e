import { TestPlatform } from './platform.js';
import type { TestPlatformOptions } from './platform-ground.js';

/**
 * For a `describe`: one platform for all tests. After each test all responses of the API must match its definitions.
 * @param use receives the platform before the first test, e.g. to start phones, which end with the platform
 */
export function withPlatform(
  use: (stage: TestPlatform) => void | Promise<void>,
  options: TestPlatformOptions = {},
): void {
  let stage: TestPlatform;
  before(async () => {
    stage = await TestPlatform.start(options);
    await use(stage);
  });
  afterEach(() => stage.assertSound());
  after(() => stage.stop());
}
