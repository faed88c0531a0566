export const price = "one view";
