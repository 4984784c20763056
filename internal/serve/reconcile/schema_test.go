package reconcile

import (
	"bytes"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// specification is what the community group publishes, as NOTICE.md says there.
const specification = "testdata/specification"

// answers are an answer of every kind, by the name of its schema.
func (s *service) answers(version string) map[string]string {
	o := s.some()
	row, _ := s.data.Directory.Row(o.Org, nil)
	root := map[string]string{"0.2": Root02, "1.0-draft": Root10}[version]
	get := func(path string) string { return s.get(root + path).Body.String() }
	list := map[string]string{
		"manifest":                         get(""),
		"suggest-entities-response":        get("/suggest/entity?prefix=" + url.QueryEscape(o.Name)),
		"suggest-properties-response":      get("/suggest/property?prefix=&limit=50"),
		"suggest-types-response":           get("/suggest/type?prefix="),
		"data-extension-property-proposal": get("/extend/propose?type=organization&limit=3"),
	}
	var all []map[string]string
	for _, p := range properties {
		all = append(all, map[string]string{"id": p.id})
	}
	extend := quoted(map[string]any{"ids": []string{o.EIN.String(), "999999999"}, "properties": all})
	if version == "0.2" {
		list["reconciliation-result-batch"] = s.form("queries", quoted(map[string]any{
			"q0": map[string]any{"query": o.Name, "properties": []any{map[string]any{"pid": "state", "v": o.State}, map[string]any{"pid": "zip", "v": row.ZIP}}},
			"q1": map[string]any{"query": "Zyx Qwv"}})).Body.String()
		list["data-extension-response"] = s.form("extend", extend).Body.String()
		return list
	}
	list["reconciliation-result-batch"] = s.json(root+"/match", quoted(map[string]any{"queries": []any{
		map[string]any{"conditions": []any{map[string]any{"matchType": "name", "propertyValue": o.Name}, map[string]any{"matchType": "property", "propertyId": "state", "propertyValue": o.State}}},
		map[string]any{"conditions": []any{map[string]any{"matchType": "name", "propertyValue": "Zyx Qwv"}}}}})).Body.String()
	list["data-extension-response"] = s.json(root+"/extend", extend).Body.String()
	return list
}

// TestPublishedSchemas validates an answer of every kind against the schemas that
// the community group publishes.
func TestPublishedSchemas(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, version := range []string{"0.2", "1.0-draft"} {
		schemas := published(t, version)
		for name, text := range s.answers(version) {
			if schemas[name] == nil {
				t.Errorf("%s has no schema %s", version, name)
				continue
			}
			validate(t, version+" "+name, schemas[name], text)
		}
	}
}

// TestPublishedExamples reads the batches of the specification: what is valid is
// read, what is not is refused.
func TestPublishedExamples(t *testing.T) {
	t.Parallel()
	extension := func(data []byte) error {
		_, err := readExtension(data)
		if err != nil && strings.Contains(err.Error(), "There is no property") {
			return nil // it is read, and of another service
		}
		return err
	}
	n := 0
	for _, c := range []struct {
		path string
		read func([]byte) error
	}{
		{"0.2/examples/reconciliation-query-batch", func(data []byte) error { _, err := readBatch02(data); return err }},
		{"1.0-draft/examples/reconciliation-query-batch", func(data []byte) error { _, err := readBatch10(data); return err }},
		{"0.2/examples/data-extension-query", extension},
		{"1.0-draft/examples/data-extension-query", extension},
	} {
		for _, valid := range []bool{true, false} {
			files, _ := filepath.Glob(filepath.Join(specification, c.path, map[bool]string{true: "valid", false: "invalid"}[valid], "*.json"))
			for _, file := range files {
				data, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				n++
				if err := c.read(data); (err == nil) != valid {
					t.Errorf("%s: %v", file, err)
				}
			}
		}
	}
	if n < 15 {
		t.Errorf("only %d examples", n)
	}
}

// published compiles the schemas of a version, by name. They refer to one another,
// and to a schema of OpenAPI.
func published(t testing.TB, version string) map[string]*jsonschema.Schema {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(specification, version, "schemas", "*.json"))
	files = append(files, filepath.Join(specification, "openapi.json"))
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft7)
	const base = "https://schemas.example/"
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		if err != nil {
			t.Fatal(file, err)
		}
		// Their names differ from how they are referred to.
		delete(doc.(map[string]any), "$schema")
		delete(doc.(map[string]any), "$id")
		at := base + filepath.Base(file)
		if filepath.Base(file) == "openapi.json" {
			delete(doc.(map[string]any), "id")
			at = "http://swagger.io/v2/schema.json"
		}
		if err := c.AddResource(at, doc); err != nil {
			t.Fatal(file, err)
		}
	}
	list := map[string]*jsonschema.Schema{}
	for _, file := range files {
		if name := strings.TrimSuffix(filepath.Base(file), ".json"); name != "openapi" {
			schema, err := c.Compile(base + name + ".json")
			if err != nil {
				t.Fatal(file, err)
			}
			list[name] = schema
		}
	}
	return list
}

func validate(t testing.TB, what string, schema *jsonschema.Schema, text string) {
	t.Helper()
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
	if err == nil {
		err = schema.Validate(doc)
	}
	if err != nil {
		t.Errorf("%s: %v\n%.500s", what, err, text)
	}
}

// shapes are the answers as the specification describes them, in our own words and
// stricter: nothing is there that it does not name.
var shapes = map[string]string{
	"0.2 manifest": `{"$ref":"#/$defs/manifest","required":["versions","name","identifierSpace","schemaSpace"],"properties":{
		"versions":{"const":["0.2"]},"view":{"properties":{"url":{"pattern":"\\{\\{id\\}\\}"}}},
		"identifierSpace":{"format":"uri"},"schemaSpace":{"format":"uri"},
		"preview":{"type":"object","required":["url","width","height"],"properties":{"url":{"pattern":"\\{\\{id\\}\\}"},"width":{"type":"integer"},"height":{"type":"integer"}}},
		"suggest":{"type":"object","additionalProperties":{"type":"object","required":["service_url","service_path","flyout_service_path"],
			"properties":{"flyout_service_path":{"pattern":"\\$\\{id\\}"}}}},
		"extend":{"properties":{"propose_properties":{"required":["service_url","service_path"]}}}}}`,
	"1.0-draft manifest": `{"$ref":"#/$defs/manifest","required":["versions","name","view"],"properties":{
		"versions":{"const":["1.0-draft"]},"view":{"properties":{"url":{"pattern":"[^{]\\{id\\}$"}}},"standardizedScore":{"const":true},
		"identifierSpace":false,"schemaSpace":false,
		"preview":{"type":"object","required":["width","height"],"additionalProperties":{"type":"integer"}},
		"suggest":{"required":["entity","property","type"],"additionalProperties":{"type":"boolean"}},
		"extend":{"properties":{"proposeProperties":{"type":"boolean"}}}}}`,
	"0.2 reconciliation-result-batch":       `{"type":"object","minProperties":2,"additionalProperties":{"type":"object","required":["result"],"additionalProperties":false,"properties":{"result":{"type":"array","items":{"$ref":"#/$defs/candidate"}}}}}`,
	"1.0-draft reconciliation-result-batch": `{"type":"object","required":["results"],"additionalProperties":false,"properties":{"results":{"type":"array","minItems":2,"items":{"type":"object","required":["candidates"],"additionalProperties":false,"properties":{"candidates":{"type":"array","items":{"$ref":"#/$defs/candidate"}}}}}}}`,
	"suggest-entities-response":             `{"type":"object","required":["result"],"additionalProperties":false,"properties":{"result":{"type":"array","minItems":1,"items":{"type":"object","required":["id","name"],"additionalProperties":false,"properties":{"id":{"$ref":"#/$defs/text"},"name":{"$ref":"#/$defs/text"},"description":{"$ref":"#/$defs/text"},"notable":{"type":"array","items":{"$ref":"#/$defs/type"}}}}}}}`,
	"suggest-properties-response":           `{"type":"object","required":["result"],"additionalProperties":false,"properties":{"result":{"type":"array","minItems":1,"items":{"$ref":"#/$defs/property"}}}}`,
	"suggest-types-response":                `{"type":"object","required":["result"],"additionalProperties":false,"properties":{"result":{"type":"array","minItems":1,"items":{"$ref":"#/$defs/type"}}}}`,
	"data-extension-property-proposal":      `{"type":"object","required":["properties","type","limit"],"additionalProperties":false,"properties":{"properties":{"type":"array","minItems":3,"maxItems":3,"items":{"$ref":"#/$defs/property"}},"type":{"$ref":"#/$defs/text"},"limit":{"type":"integer"}}}`,
	"0.2 data-extension-response":           `{"type":"object","required":["meta","rows"],"additionalProperties":false,"properties":{"meta":{"$ref":"#/$defs/meta"},"rows":{"type":"object","minProperties":2,"additionalProperties":{"type":"object","additionalProperties":{"$ref":"#/$defs/values"}}}}}`,
	"1.0-draft data-extension-response":     `{"type":"object","required":["meta","rows"],"additionalProperties":false,"properties":{"meta":{"$ref":"#/$defs/meta"},"rows":{"type":"array","minItems":2,"items":{"type":"object","required":["id","properties"],"additionalProperties":false,"properties":{"id":{"$ref":"#/$defs/text"},"properties":{"type":"array","items":{"type":"object","required":["id","values"],"additionalProperties":false,"properties":{"id":{"$ref":"#/$defs/text"},"values":{"$ref":"#/$defs/values"}}}}}}}}}`,
}

const shared = `{
	"text":{"type":"string","minLength":1},
	"type":{"type":"object","required":["id","name"],"additionalProperties":false,"properties":{"id":{"$ref":"#/$defs/text"},"name":{"$ref":"#/$defs/text"},"description":{"$ref":"#/$defs/text"},"broader":{"type":"array","items":{"$ref":"#/$defs/type"}}}},
	"property":{"type":"object","required":["id","name"],"additionalProperties":false,"properties":{"id":{"$ref":"#/$defs/text"},"name":{"$ref":"#/$defs/text"},"description":{"$ref":"#/$defs/text"},"matchQualifiers":{"type":"array","items":{"type":"object","required":["id","name"]}}}},
	"manifest":{"type":"object","required":["versions","name","documentation","logo","defaultTypes","view","batchSize","preview","suggest","extend"],"properties":{"defaultTypes":{"type":"array","minItems":1,"uniqueItems":true,"items":{"$ref":"#/$defs/type"}},"batchSize":{"type":"integer","minimum":1},"documentation":{"format":"uri"},"logo":{"format":"uri"},"authentication":false}},
	"candidate":{"type":"object","required":["id","name","description","type","score","match"],"additionalProperties":false,"properties":{"id":{"type":"string","pattern":"^[0-9]{9}$"},"name":{"$ref":"#/$defs/text"},"description":{"$ref":"#/$defs/text"},"type":{"type":"array","minItems":1,"items":{"$ref":"#/$defs/type"}},"score":{"type":"number","minimum":0,"maximum":100},"match":{"type":"boolean"},"features":{"type":"array","items":{"type":"object","required":["id","name","value"],"additionalProperties":false,"properties":{"id":{"$ref":"#/$defs/text"},"name":{"$ref":"#/$defs/text"},"value":{"type":["number","boolean"]}}}}}},
	"meta":{"type":"array","items":{"type":"object","required":["id","name"],"additionalProperties":false,"properties":{"id":{"$ref":"#/$defs/text"},"name":{"$ref":"#/$defs/text"}}}},
	"values":{"type":"array","items":{"oneOf":[{"type":"object","required":["str"],"additionalProperties":false,"properties":{"str":{"$ref":"#/$defs/text"}}},{"type":"object","required":["int"],"additionalProperties":false,"properties":{"int":{"type":"integer"}}}]}}}`

// TestShapes validates an answer of every kind against its shape.
func TestShapes(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for _, version := range []string{"0.2", "1.0-draft"} {
		for name, text := range s.answers(version) {
			shape, ok := shapes[version+" "+name]
			if !ok {
				shape, ok = shapes[name]
			}
			if !ok {
				t.Errorf("%s %s has no shape", version, name)
				continue
			}
			var doc, defs map[string]any
			if err := json.Unmarshal([]byte(shape), &doc); err != nil {
				t.Fatal(name, err)
			}
			if err := json.Unmarshal([]byte(shared), &defs); err != nil {
				t.Fatal(err)
			}
			doc["$defs"] = defs
			c := jsonschema.NewCompiler()
			if err := c.AddResource("https://shapes.example/"+name, doc); err != nil {
				t.Fatal(name, err)
			}
			schema, err := c.Compile("https://shapes.example/" + name)
			if err != nil {
				t.Fatal(name, err)
			}
			validate(t, version+" "+name, schema, text)
		}
	}
}
