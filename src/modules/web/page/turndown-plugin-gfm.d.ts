declare module "turndown-plugin-gfm" {
  import type TurndownService from "turndown";

  export const highlightedCodeBlock: (service: TurndownService) => void;
  export const strikethrough: (service: TurndownService) => void;
  export const taskListItems: (service: TurndownService) => void;
}
